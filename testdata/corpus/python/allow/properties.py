class Temperature:
    def __init__(self, celsius=0.0):
        self._celsius = celsius

    @property
    def fahrenheit(self):
        return self._celsius * 9 / 5 + 32

    @fahrenheit.setter
    def fahrenheit(self, value):
        self._celsius = (value - 32) * 5 / 9

    @classmethod
    def boiling(cls):
        return cls(100)

    @staticmethod
    def unit():
        return "C"


t = Temperature.boiling()
t.fahrenheit = 100
print(round(t._celsius, 1), Temperature.unit())
