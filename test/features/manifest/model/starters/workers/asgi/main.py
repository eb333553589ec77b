from fastapi import FastAPI

app = FastAPI(title="Hello")


@app.get("/health")
def health():
    return {}
