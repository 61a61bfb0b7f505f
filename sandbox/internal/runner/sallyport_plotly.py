"""A renderer of plotly without a browser: show() leaves each figure as a page in
the work directory, from where it is brought out like any other file. A program
may choose another one."""
from plotly.io._base_renderers import ExternalRenderer

_shown = 0


class Pages(ExternalRenderer):
    def render(self, fig):
        from plotly.io import write_html
        global _shown
        _shown += 1
        write_html(fig, "plotly-%d.html" % _shown, include_plotlyjs="cdn", validate=False)


def install(renderers):
    renderers["sallyport"] = Pages()
    renderers.default = "sallyport"
