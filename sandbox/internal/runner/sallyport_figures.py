"""A matplotlib backend without a screen: show() leaves each figure as a PNG
file in the work directory, from where it is brought out like any other file.
The backend is named by MPLBACKEND; a program may choose another one."""
from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

_shown = 0


class FigureManager(FigureManagerBase):
    @classmethod
    def pyplot_show(cls, *, block=None):
        show()


class FigureCanvas(FigureCanvasAgg):
    manager_class = FigureManager


def show(*args, **kwargs):
    for manager in Gcf.get_all_fig_managers():
        leave(manager.canvas.figure)
    Gcf.destroy_all()


def is_open(figure):
    return any(manager.canvas.figure is figure for manager in Gcf.get_all_fig_managers())


def leave(figure):
    global _shown
    _shown += 1
    figure.savefig("figure-%d.png" % _shown, format="png")
