import os
for m, a in zip([os], ["true"]):
    m.system(a)
