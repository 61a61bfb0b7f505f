from signal import alarm as a
a(0)
