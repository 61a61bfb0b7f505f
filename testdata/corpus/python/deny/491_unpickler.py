import io, pickle
pickle.Unpickler(io.BytesIO(b"I1\n.")).load()
