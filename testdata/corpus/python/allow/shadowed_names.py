def process(system, popen=None, exec_mode="fast", open_price=1.5):
    eval_result = system + open_price
    return {"system": eval_result, "popen": popen, "mode": exec_mode}


os = {"system": lambda c: "not the module: " + c}
print(os["system"]("x"), process(1))
