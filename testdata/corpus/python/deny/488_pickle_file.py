import io, pickle
pickle.load(io.BytesIO(pickle.dumps(1)))
