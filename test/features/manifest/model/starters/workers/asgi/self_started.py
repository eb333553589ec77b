import os

import uvicorn
from fastapi import FastAPI

api: FastAPI = FastAPI()

if __name__ == "__main__":
    uvicorn.run(api, host="0.0.0.0", port=int(os.environ.get("PORT", "8000")))
