import logging

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
log = logging.getLogger(__name__)
log.info("started with %d items", 3)
log.debug("hidden")
try:
    {}["x"]
except KeyError:
    log.exception("lookup failed")
