class Account:
    interest = 0.02

    def __init__(self, owner, balance=0):
        self.owner = owner
        self.balance = balance
        self.history = []

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("amount must be positive")
        self.balance += amount
        self.history.append(("deposit", amount))

    def compound(self, years):
        for _ in range(years):
            self.balance *= 1 + self.interest


a = Account("ann", 100)
a.deposit(50)
a.compound(3)
print(round(a.balance, 2), a.history)
