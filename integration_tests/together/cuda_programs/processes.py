"""Tensors on devices in child processes: they arrive on the same device, as copies through the host."""

import torch
import torch.multiprocessing as mp


def serve(weight, requests, answers):
    """Answer requests with results on their devices; the first answer is about the argument of the process."""
    answers.put((weight, weight.requires_grad))
    for request in iter(requests.get, None):
        matrix, row = request["matrix"], request["row"]
        row += 1  # a view of the matrix, also here
        with torch.no_grad():
            answers.put({"matrix": matrix, "product": matrix @ weight.to(matrix.device), "device": str(matrix.device)})


def square(x):
    return x * x


def main(method):
    context = mp.get_context(method)
    requests, answers = context.Queue(), context.Queue()
    weight = torch.nn.Parameter(torch.tensor([1.0, 0.0, -1.0], device="cuda:0"))
    process = context.Process(target=serve, args=(weight, requests, answers))
    process.start()
    found, requires_grad = answers.get()
    assert requires_grad and type(found) is torch.nn.Parameter and found.device == weight.device
    assert torch.equal(found, weight)

    with torch.cuda.stream(torch.cuda.Stream("cuda:1")):  # the message is made in the order of this stream
        matrix = torch.arange(6.0, device="cuda:1").reshape(2, 3) * 2
        requests.put({"matrix": matrix, "row": matrix[1]})
        matrix.zero_()  # after the message
    answer = answers.get()
    assert answer["device"] == "cuda:1" and answer["matrix"].device == torch.device("cuda:1")
    assert answer["matrix"].tolist() == [[0, 2, 4], [7, 9, 11]]
    assert answer["product"].tolist() == [-4, -4]
    torch.cuda.synchronize("cuda:1")
    assert matrix.tolist() == [[0, 0, 0]] * 2  # the child has its own memory

    requests.put(None)
    process.join()
    assert process.exitcode == 0
    with context.Pool(1) as pool:
        squares = pool.map(square, [torch.full((2,), float(k), device="cuda:1") for k in range(3)])
    pool.join()
    assert [one.tolist() for one in squares] == [[0, 0], [1, 1], [4, 4]]
    assert {one.device for one in squares} == {torch.device("cuda:1")}


if __name__ == "__main__":
    assert torch.cuda.device_count() == 2
    for method in ("spawn", "forkserver"):
        main(method)
