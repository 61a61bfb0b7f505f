import multiprocessing as mp
if __name__ == "__main__":
    mp.get_context("fork").Process(target=print).start()
