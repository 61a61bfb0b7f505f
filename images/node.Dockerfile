# Node and nothing else. Builds without a network from any Debian-like base
# that has node.
#
#   docker build -f node.Dockerfile --build-arg BASE=IMAGE images/
ARG BASE
FROM ${BASE} AS full
COPY collect.sh /collect.sh
RUN sh /collect.sh node /root-fs

FROM scratch
COPY --from=full /root-fs /
ENV PATH=/usr/local/bin:/usr/bin:/bin
USER 65534:65534
WORKDIR /workspace
ENTRYPOINT ["/usr/bin/node"]
