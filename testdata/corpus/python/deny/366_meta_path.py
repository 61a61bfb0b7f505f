import sys
class F:
    def find_spec(self, *a):
        return None
sys.meta_path.insert(0, F())
