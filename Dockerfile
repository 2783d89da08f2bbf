# Workroom with all its extras: server, worker and Celery fleet are commands of one image.
# Nobody has built this image yet: the tests have no container engine. They check its commands, settings and inputs.
#   docker build -t workroom . && docker run -p 8000:8000 -v workroom:/data workroom

FROM python:3.13-slim AS wheel
WORKDIR /src
RUN pip install --no-cache-dir build
COPY . .
RUN python -m build --wheel --outdir /wheels

FROM python:3.13-slim
COPY --from=wheel /wheels /wheels
RUN pip install --no-cache-dir "$(ls /wheels/*.whl)[server,redis,celery]" \
    && rm -r /wheels \
    && useradd --create-home --uid 1000 workroom \
    && install --directory --owner workroom /data /files
USER workroom
WORKDIR /home/workroom
ENV WORKROOM_HOST=0.0.0.0 WORKROOM_DATA_DIR=/data PYTHONUNBUFFERED=1
VOLUME ["/data", "/files"]
EXPOSE 8000
ENTRYPOINT ["workroom"]
CMD ["serve"]
