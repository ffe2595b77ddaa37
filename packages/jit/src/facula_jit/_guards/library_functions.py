"""Tables of library functions that do not return tensors: replays compare their result, or a capture breaks.

Every public function whose result is not a tensor has a row in one of these tables; a test checks this for all public
names. All other functions return tensors, or results that depend only on their arguments.
"""

from __future__ import annotations

COMPARED = frozenset(
    "are_deterministic_algorithms_enabled get_convolution_algorithm get_default_device get_default_dtype "
    "get_deterministic_debug_mode get_float32_matmul_precision get_num_interop_threads get_num_threads "
    "get_printoptions initial_seed is_deterministic_algorithms_warn_only_enabled is_warn_always_enabled "
    "is_autocast_cache_enabled get_autocast_cpu_dtype get_autocast_gpu_dtype cudnn_sdp_enabled flash_sdp_enabled "
    "math_sdp_enabled mem_efficient_sdp_enabled get_fastpath_enabled get_sharing_strategy get_dir is_initialized "
    "current_device current_device_idx current_device_index get_sync_debug_mode".split()
)
"""Settings: called without arguments before each replay. An error, as without a device, is compared, too."""

CONSTANT = frozenset(
    "broadcast_shapes can_cast capture compile compiled_with_cxx11_abi cond clear_autocast_cache fork_rng "
    "get_device is_anomaly_check_nan_enabled is_anomaly_enabled "
    "is_autocast_cpu_enabled is_autocast_enabled is_complex is_conj is_floating_point is_grad_enabled is_inference "
    "is_inference_mode_enabled is_neg is_same_size is_signed is_storage is_tensor is_vulkan_available manual_seed "
    "numel promote_types result_type scan set_rng_state typename vmap while_loop functional_call functionalize grad "
    "grad_and_value hessian jacfwd jacrev jvp linearize replace_all_batch_norm_modules_ value_and_grad vjp backward "
    "annotate export freeze ignore interface is_scripting is_tracing isinstance onednn_fusion_enabled script "
    "script_if_tracing trace unused allclose equal is_nonzero to_dlpack gradcheck gradgradcheck "
    # devices, backends and builds, which do not change
    "is_available device_count can_device_access_peer is_autocast_available amp_definitely_not_available "
    "get_cpu_capability level version is_built is_acceptable get_arch_list "
    "can_use_efficient_attention can_use_flash_attention is_flash_attention_available kineto_available "
    "supported_activities list_backends get_all_start_methods get_pretty_env_info "
    # process groups, which are compared
    "get_backend get_backend_config get_default_backend_for_device get_global_rank get_group_rank get_node_local_rank "
    "get_pg_count get_process_group_ranks get_rank get_world_size is_backend_available is_gloo_available "
    "is_mpi_available is_nccl_available is_torchelastic_launched is_ucc_available is_xccl_available supports_complex "
    "always_wrap_policy lambda_auto_wrap_policy size_based_auto_wrap_policy transformer_auto_wrap_policy enable_wrap "
    "register_fsdp_forward_method "
    # functions of their arguments, or of the current run
    "enter_dual_level is_compiling is_dynamo_compiling is_exporting is_in_onnx_export calculate_gain is_lazy "
    "is_dependent is_parametrized is_pruned has_torch_function is_tensor_like is_tensor_method_or_property "
    "named resolve_name noop_context_fn decode_text growing_attributes assert_allclose assert_close "
    "clip_grad_value_ clip_grads_with_norm_ vector_to_parameters update_bn manual_seed_all set_rng_state_all "
    "cudagraph_mark_step_begin init_reductions device_index flags sdp_kernel sdpa_kernel".split()
)
"""Functions that depend only on their arguments, on the signature of a call, or on generators, whose state replays use;
and functions that break a capture themselves, because they read elements.
"""

DTYPES = ("get_autocast_cpu_dtype", "get_autocast_gpu_dtype")
OF_DEVICES = (
    "get_device_capability", "get_device_name", "get_device_properties", "is_bf16_supported", "is_tf32_supported",
)  # fmt: skip
COMPARED_WITH = {
    **dict.fromkeys(("get_autocast_dtype", "autocast"), DTYPES), **dict.fromkeys(OF_DEVICES, ("current_device",)),
}  # fmt: skip
"""Functions and classes whose results depend on settings, and functions that return the settings, where the same module
has them.
"""

TABLES = {"kl_divergence": "FORMULAS"}
"""Functions whose results depend on a table of their module, which programs may extend."""

DEFAULTS = ("forward", "__call__", "_validate_args")
"""Attributes that are read of each library class that is reached."""

BREAKS = frozenset(
    "load save seed set_autocast_cache_enabled set_autocast_dtype set_convolution_algorithm set_default_device "
    "set_default_dtype set_default_tensor_type set_deterministic_debug_mode set_float32_matmul_precision set_device "
    "set_device_idx set_device_index set_flush_denormal set_num_interop_threads set_num_threads set_printoptions "
    "set_sync_debug_mode set_warn_always use_deterministic_algorithms set_flags get_start_method get_safe_globals "
    "named_globals get_unsafe_globals_in_checkpoint recv recv_object_list batch_isend_irecv Pipe range_pop range_push "
    "range_start to_dot to_svg get_memory_info mem_get_info max_memory_allocated max_memory_cached "
    "max_memory_reserved memory_allocated memory_cached memory_reserved memory_snapshot memory_stats "
    "memory_summary reset_accumulated_memory_stats reset_max_memory_allocated reset_max_memory_cached "
    "reset_peak_memory_stats record_memory_history record_trace dump_snapshot empty_cache ipc_collect "
    "set_per_process_memory_fraction mark nvtx.range range_end graph init set_stream synchronize seed_all reset begin "
    "main set_dir set_fastpath_enabled set_sharing_strategy set_start_method add_safe_globals clear_safe_globals "
    "enable_cudnn_sdp enable_flash_sdp enable_math_sdp enable_mem_efficient_sdp define register_autograd "
    "register_loop register_custom_op_symbolic unregister_custom_op_symbolic export_html export_memory_timeline "
    "init_process_group destroy_process_group new_group new_subgroups new_subgroups_by_enumeration expect_slow "
    "monitored_barrier send send_object_list report "
    "broadcast_object_list gather_object all_gather_object scatter_object_list".split()
)
"""Functions that read or modify files, settings, counters and streams, or send messages, which a replay would not do.
A name may follow that of its module, where another function has it.
"""

GROUPS = "facula_distributed.extend"
"""The module that knows the process groups. Its `present_groups()` is compared if a function of its package may be
called.
"""

METHODS_THAT_BREAK = {
    "data_ptr": "the address of a tensor",
    "storage_offset": "where a tensor begins in its memory",
    "_version": "how often a tensor was changed",
    "is_shared": "whether memory is shared",
    "retains_grad": "whether a tensor keeps its gradient",
    "__subclasses__": "which subclasses there are",
    **dict.fromkeys(("tb_frame", "f_back", "f_globals", "f_locals", "f_builtins"), "a frame of the interpreter"),
    **dict.fromkeys(("gi_frame", "cr_frame", "ag_frame"), "a frame of the interpreter"),
    **dict.fromkeys(("tofile", "fromfile"), "a file"),
}
"""Attributes of tensors, classes, frames and arrays that no guard can compare."""
