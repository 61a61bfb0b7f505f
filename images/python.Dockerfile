# Python and nothing else. Builds without a network from any Debian-like base
# that has python3; /packages names directories of modules to take along.
#
#   docker build -f python.Dockerfile --build-arg BASE=IMAGE images/
ARG BASE
FROM ${BASE} AS full
ARG PACKAGES=""
COPY collect.sh /collect.sh
RUN sh /collect.sh python3 /root-fs ${PACKAGES}

FROM scratch
COPY --from=full /root-fs /
ENV PATH=/usr/local/bin:/usr/bin:/bin
USER 65534:65534
WORKDIR /workspace
ENTRYPOINT ["/usr/bin/python3"]
