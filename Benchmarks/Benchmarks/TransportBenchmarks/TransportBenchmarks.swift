// SPDX-License-Identifier: Apache-2.0

import Benchmark
import BenchmarkInputs
import Foundation
import RestCurl
import RestMapping
import RestNetworking
import RestTransport
import RestURLSession
import Synchronization

/// Benchmarks of GET requests over the loopback interface, cache hits and the client's overhead.
let benchmarks: @Sendable () -> Void = {
    for entryCount in [1_000, 1_000_000] {
        CacheHits("HTTPCache in memory", entryCount: entryCount) { _ in
            InMemoryCacheStorage(byteCount: 8 << 30)
        }
    }
    for entryCount in [1_000, 100_000] {
        CacheHits("HTTPCache in files", entryCount: entryCount) { directory in
            try FileCacheStorage(directory: directory.path, byteCount: 1 << 30)
        }
    }
    ChainCost.register("HTTPClient") { address, transport in
        try HTTPClient(baseURL: address, transport: transport)
    }
    ChainCost.register("all interceptors") { address, transport in
        try HTTPClient.busy(at: address, over: transport)
    }
    guard NginxServer.executable != nil else {
        FileHandle.standardError.write(
            Data("transport: nginx is not installed; nothing is measured\n".utf8))
        return
    }
    for shape in GetLoad.Shape.all {
        GetLoad("CurlTransport", shape) { address, shape in
            let transport = CurlTransport(configuration: .init(for: shape))
            return try .init(shape, address, transport) { await transport.shutdown() }
        }
        GetLoad("async-http-client", shape, client: asyncHTTPClient)
        GetLoad("libcurl", shape, client: bareLibcurl)
        if wrkExecutable != nil {
            // Each run of wrk takes as long as a complete measurement.
            GetLoad("wrk", shape, warmupCount: 0, client: wrk)
        }
        GetLoad("HTTPClient over CurlTransport", shape) { address, shape in
            let transport = CurlTransport(configuration: .init(for: shape))
            let client = try HTTPClient(baseURL: address, transport: transport)
            let request = TransportRequest(url: try HTTPURL(parsing: address))
            return .init(shape) {
                try await client.send(request).collect().count
            } close: {
                await transport.shutdown()
            }
        }
        GetLoad("ObjectManager over CurlTransport", shape) { address, shape in
            let transport = CurlTransport(configuration: .init(for: shape))
            let api = ObjectManager(
                client: try HTTPClient(baseURL: address, transport: transport))
            try api.add(Route(named: "article", "article.json"))
            try api.add(ResponseDescriptor(LoadedArticle.self, at: ":name"))
            return .init(shape) {
                let articles = try await api.getObjects(
                    LoadedArticle.self, routeNamed: "article")
                return articles[0].byteCount
            } close: {
                await transport.shutdown()
            }
        }
        GetLoad("all interceptors over CurlTransport", shape) { address, shape in
            let transport = CurlTransport(configuration: .init(for: shape))
            let client = try HTTPClient.busy(at: address, over: transport)
            let number = Atomic(0)
            return .init(shape) {
                // Distinct URLs, so that every request is a cache miss.
                let query = number.wrappingAdd(1, ordering: .relaxed).newValue
                let url = try HTTPURL(parsing: "\(address)?\(query)")
                return try await client.send(TransportRequest(url: url)).collect().count
            } close: {
                await transport.shutdown()
            }
        }
        // URLSession is far slower, and more samples add no information.
        if shape.inFlight == 16 {
            GetLoad("URLSessionTransport", shape) { address, shape in
                var configuration = URLSessionTransport.Configuration()
                configuration.connectionsPerHost = shape.inFlight
                let transport = try URLSessionTransport(configuration: configuration)
                return try .init(shape, address, transport) { transport.shutdown() }
            }
            GetLoad("URLSession", shape, client: urlSession)
        }
    }
}

extension GetLoad.Client {
    /// Sends requests through a transport, without a client above it.
    fileprivate init(
        _ shape: GetLoad.Shape, _ address: String, _ transport: some HTTPTransport,
        close: @escaping @Sendable () async -> Void
    ) throws {
        let request = TransportRequest(url: try HTTPURL(parsing: address))
        self.init(shape) {
            try await transport.send(request).collect().count
        } close: {
            await close()
        }
    }
}

extension CurlTransport.Configuration {
    fileprivate init(for shape: GetLoad.Shape) {
        self.init()
        connectionsPerHost = shape.inFlight
    }
}
