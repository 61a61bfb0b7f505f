# sallyport itself in a container, for clients that start their MCP servers
# with an engine. Builds without a network from a Debian-like base that has
# python3 and nodejs; server.sh brings the programs along.
ARG BASE
FROM ${BASE}
COPY programs/ /usr/libexec/sallyport/
RUN ln -sf ../libexec/sallyport/sallyport /usr/bin/sallyport
ENV PATH=/usr/local/bin:/usr/bin:/bin HOME=/state
USER 65534:65534
WORKDIR /state
ENTRYPOINT ["/usr/bin/sallyport"]
CMD ["mcp"]
