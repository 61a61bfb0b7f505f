# Python with numpy, pandas, scipy, scikit-learn, matplotlib, sympy and pillow,
# and nothing else. Builds without a network from any Debian-like base that has
# python3, and from the wheels of data.lock beside it (wheels.sh fetches them).
#
#   images/build.sh docker IMAGE latest data
ARG BASE
FROM ${BASE} AS full
COPY collect.sh unpack.py data.lock /build/
COPY wheels /build/wheels
RUN set -e; site=$(python3 /build/unpack.py /build/wheels /build/data.lock); sh /build/collect.sh python3 /root-fs "$site"; rm -rf "$site"
# What matplotlib builds at first use: the runner puts it where it is looked for.
RUN MPLCONFIGDIR=/usr/prepared chroot /root-fs python3 -c 'import matplotlib.font_manager'

FROM scratch
COPY --from=full /root-fs /
ENV PATH=/usr/local/bin:/usr/bin:/bin
USER 65534:65534
WORKDIR /workspace
ENTRYPOINT ["/usr/bin/python3"]
