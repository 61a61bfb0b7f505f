weights = {"a": 0.2, "b": 0.3, "c": 0.5}
scores = [{"a": 1, "b": 2, "c": 3}, {"a": 3, "b": 2, "c": 1}]
print([sum(weights[k] * s[k] for k in weights) for s in scores])
assert abs(sum(weights.values()) - 1) < 1e-9, "weights must sum to one"
