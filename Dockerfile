# One static binary on an empty image. Any Docker builds it: docker build -t downwind .
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
COPY internal/textseg internal/textseg
RUN go mod download
COPY . .
ARG VERSION=dev
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o /downwind ./cmd/downwind \
    && mkdir -p /data && chown 65532:65532 /data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /downwind /downwind
COPY --from=build --chown=65532:65532 /data /data
USER 65532:65532
ENV XDG_DATA_HOME=/data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["/downwind", "doctor", "--ready"]
ENTRYPOINT ["/downwind"]
CMD ["serve", "--listen", "0.0.0.0:8080"]
