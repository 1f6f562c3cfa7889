from pinecone import Pinecone, ServerlessSpec
import vertexai

Pinecone().create_index(
    name="docs",
    spec=ServerlessSpec(cloud="aws", region="eu-west-1"),
)
vertexai.init(project="kolibri", location="us-central1")
