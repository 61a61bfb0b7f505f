{"run": exec}["run"]("x = 1")
