class Query:
    def __init__(self, table):
        self.table = table
        self.filters = []

    def where(self, **conditions):
        self.filters += [f"{k} = :{k}" for k in conditions]
        return self

    def compile(self):
        sql = f"select * from {self.table}"
        return sql + (" where " + " and ".join(self.filters) if self.filters else "")

    def execute(self):
        return self.compile()


print(Query("users").where(id=1, name="x").execute())
