import torch
from worker_sdk import sdk


def handler(job):
    return {"device": str(torch.device("cuda"))}


sdk.serverless.start({"handler": handler})
