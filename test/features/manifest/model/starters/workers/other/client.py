# sdk.serverless.start({"handler": handler}) runs the handler in the cloud.
import requests

print(requests.get("http://localhost:8000/ping").text)
