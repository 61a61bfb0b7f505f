class App:
    def __init__(self):
        self.routes = {}

    def route(self, path, methods=("GET",)):
        def decorator(f):
            self.routes[path] = f
            return f

        return decorator

    def call(self, path, **kwargs):
        return self.routes[path](**kwargs)


app = App()


@app.route("/hello", methods=["GET"])
def hello(name="x"):
    return f"hello {name}"


print(app.call("/hello", name="y"))
