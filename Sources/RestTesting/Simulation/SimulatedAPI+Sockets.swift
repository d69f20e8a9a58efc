// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension SimulatedAPI {
    /// Serves the resources on a port of 127.0.0.1 for the duration of a closure.
    ///
    /// A lost answer is a connection that ends without one. So is a connection that cannot be established, because
    /// the port stays open.
    ///
    /// - Parameter body: A closure with the base URL, which ends with a slash.
    /// - Returns: The result of `body`.
    /// - Throws: An error of `body`, or `CocoaError` if no port is available.
    public func withSocket<Value>(
        _ body: (_ baseURL: String) async throws -> Value
    ) async throws -> Value {
        try await LoopbackSocketServer.run { [self] connection in
            while let bytes = connection.readRequest(), let request = LoopbackRequest(bytes) {
                let answer = LoopbackServer.wait { [self] in
                    try? await self.answer(to: SimulatedRequest(request))
                }
                guard let answer = answer ?? nil else { return }
                let response = LoopbackResponse(
                    status: answer.status,
                    headers: answer.headerFields.map { ($0.name.rawName, $0.value) },
                    body: answer.body)
                guard connection.send(response.bytes(withBody: request.method != "HEAD")) else {
                    return
                }
            }
        } body: { server in
            try await body(server.baseURL)
        }
    }
}

extension SimulatedRequest {
    fileprivate init(_ request: LoopbackRequest) {
        var fields: HTTPFields = [:]
        for (name, value) in request.headers {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        self.init(
            method: HTTPRequest.Method(request.method) ?? .get, target: request.path,
            headerFields: fields, body: request.body)
    }
}
