// SPDX-License-Identifier: Apache-2.0

import Benchmark
import Foundation
import RestCurl
import RestTransport
import RestURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Small GET requests to a server on the loopback interface.
let benchmarks: @Sendable () -> Void = {
    guard NginxServer.executable != nil else {
        FileHandle.standardError.write(
            Data("transport: nginx is not installed; nothing is measured\n".utf8))
        return
    }
    GetLoad("16 connections: CurlTransport") {
        let transport = CurlTransport()
        return GetLoad.Client { address in
            try await size(of: address, through: transport)
        } close: {
            await transport.shutdown()
        }
    }
    GetLoad("16 connections: HTTPClient over CurlTransport") {
        let transport = CurlTransport()
        let client = try HTTPClient(baseURL: "http://127.0.0.1", transport: transport)
        return GetLoad.Client { address in
            let request = TransportRequest(url: try HTTPURL(parsing: address))
            return try await client.send(request).collect().count
        } close: {
            await transport.shutdown()
        }
    }
    GetLoad("16 connections: URLSessionTransport") {
        let transport = URLSessionTransport()
        return GetLoad.Client { address in
            try await size(of: address, through: transport)
        } close: {
            transport.shutdown()
        }
    }
    GetLoad("16 connections: URLSession") {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = GetLoad.connectionCount
        configuration.urlCache = nil
        let session = URLSession(configuration: configuration)
        return GetLoad.Client { address in
            guard let url = URL(string: address) else { throw GetLoad.WrongAnswer() }
            return try await session.data(from: url).0.count
        } close: {
            session.invalidateAndCancel()
        }
    }
}

private func size(of address: String, through transport: some HTTPTransport) async throws -> Int {
    let request = TransportRequest(url: try HTTPURL(parsing: address))
    return try await transport.send(request).collect().count
}
