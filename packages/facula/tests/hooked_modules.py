"""Modules with every kind of hook, built with facula or, in the conformance session, with PyTorch."""

calls = []  # the kinds of the hooks that ran


def doubled(module, args, output):
    """A forward hook."""
    calls.append("forward")
    return output * 2


def tripled(module, args, kwargs, output):
    """A forward hook with keyword arguments that also runs after forward raises."""
    calls.append("forward with kwargs")
    return None if output is None else output * 3


def moved(module, args):
    """A forward pre-hook."""
    calls.append("forward pre")
    return (args[0] + 1,)


def passed(module, args, kwargs):
    """A forward pre-hook with keyword arguments."""
    calls.append("forward pre with kwargs")
    return args, kwargs


def halved(module, grad_input, grad_output):
    """A backward hook."""
    calls.append("backward")
    return tuple([None if one is None else one / 2 for one in grad_input])


def shown(module, grad_output):
    """A backward pre-hook."""
    calls.append("backward pre")


def renamed(module, state, prefix, metadata):
    """A hook on state dicts."""
    calls.append("state dict")
    state["more"] = state["weight"]


def begun(module, prefix, keep_vars):
    """A state dict pre-hook."""
    calls.append("state dict pre")


def cleaned(module, state, *others):
    """A load pre-hook."""
    calls.append(f"load pre of {type(module).__name__}")
    state.pop("more", None)


def alone(state, *others):
    """A load pre-hook that is called without the module."""
    calls.append("load pre")


def loaded(module, keys):
    """A load post-hook."""
    calls.append("load post")


HOOKS = (doubled, tripled, moved, passed, halved, shown, renamed, begun, cleaned, alone, loaded)


def hooked(library):
    """Return a module with all of these hooks."""
    module = library.nn.Linear(2, 2)
    module.register_forward_hook(doubled)
    module.register_forward_hook(tripled, with_kwargs=True, always_call=True)
    module.register_forward_pre_hook(passed, with_kwargs=True)
    module.register_forward_pre_hook(moved, prepend=True)
    module.register_full_backward_hook(halved)
    module.register_full_backward_pre_hook(shown)
    module.register_state_dict_post_hook(renamed)
    module.register_state_dict_pre_hook(begun)
    module.register_load_state_dict_pre_hook(cleaned)
    module._register_load_state_dict_pre_hook(alone)
    module.register_load_state_dict_post_hook(loaded)
    return module


def handled(library):
    """A module that keeps its hook handles: live ones, a removed one, and one whose hook's module no longer exists."""
    module = library.nn.Linear(2, 2)
    module.handles = {"forward": module.register_forward_hook(tripled, with_kwargs=True)}
    module.register_forward_hook(doubled)
    module.handles["pre"] = module.register_forward_pre_hook(moved)
    module.handles["state"] = module.register_state_dict_post_hook(renamed)
    module.handles["backward"] = module.register_full_backward_hook(halved)
    module.handles["removed"] = module.register_forward_hook(doubled)
    module.handles["removed"].remove()
    return module


def removed(library, module):
    """Return the hooks that run after each handle has removed its hook."""
    seen = []
    for handle in module.handles.values():
        handle.remove()
        calls.clear()
        module(library.ones(1, 2, requires_grad=True)).sum().backward()
        module.state_dict()
        seen.append([*calls])
    return seen


def ran(library, module):
    """Return a module's result and the hooks that ran."""
    calls.clear()
    x = library.ones(1, 2, requires_grad=True)
    result = module(x)
    result.sum().backward()
    state = module.state_dict()
    module.load_state_dict(state)
    try:
        module(library.ones(3))
    except Exception:
        calls.append("raised")
    return result.tolist(), x.grad.tolist(), sorted(state), [*calls]
