"""The usual Python embedding server: FastAPI in front of ONNX Runtime, one padded batch for each request."""

import base64

from fastapi import FastAPI
from pydantic import BaseModel

from model import embed

app = FastAPI()


class EmbeddingsRequest(BaseModel):
    model: str
    input: list[str]
    encoding_format: str = "float"


@app.post("/v1/embeddings")
def embeddings(request: EmbeddingsRequest):
    """A plain function, so that FastAPI runs it on its threads and the event loop stays free."""
    vectors = embed(request.input)
    if request.encoding_format == "base64":
        shown = [base64.b64encode(vector.tobytes()).decode() for vector in vectors]
    else:
        shown = vectors.tolist()
    data = [{"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(shown)]
    return {"object": "list", "data": data, "model": request.model}
