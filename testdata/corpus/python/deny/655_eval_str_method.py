str.__call__
eval.__call__("__import__('os').system(1)")
