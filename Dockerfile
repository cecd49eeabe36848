# Two stages: build a static program, then carry it alone. Time zones, questions
# and guides are embedded; CA certificates come with the base image.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /out/aiprep ./cmd/aiprep \
    && mkdir /out/data

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /out/aiprep /usr/local/bin/aiprep
# The owner makes a new volume writable for the user that the base image runs as.
COPY --from=build --chown=65532:65532 /out/data /data
WORKDIR /data
VOLUME /data
ENV AIPREP_STORE_FILE=/data/aiprep.db
HEALTHCHECK --start-period=30s CMD ["aiprep", "health"]
ENTRYPOINT ["aiprep"]
CMD ["serve"]
