# The program in a small image, run by an ordinary user:
#   docker build -t bonsai .
#   docker run --rm -v "$PWD:/data" bonsai condense g.bonsai -o small.bonsai --ratio 0.01
# Files that it writes belong to user 1000; --user "$(id -u)" is another.
#
# SPDX-License-Identifier: MIT
FROM debian:bookworm-slim AS build
WORKDIR /source
COPY tools/setup tools/setup
RUN tools/setup build
COPY . .
RUN make install DESTDIR=/out PREFIX=/usr/local

FROM debian:bookworm-slim
# The versions are those of Debian's stable release.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        ca-certificates libcurl4 libgomp1 libmetis5 libopenblas0-pthread libzip4 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 1000 --create-home bonsai
COPY --from=build /out/usr/local /usr/local
RUN ldconfig
USER 1000
WORKDIR /data
ENTRYPOINT ["bonsai"]
CMD ["help"]
