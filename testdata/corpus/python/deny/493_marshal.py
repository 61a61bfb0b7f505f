import marshal
marshal.loads(marshal.dumps(1))
