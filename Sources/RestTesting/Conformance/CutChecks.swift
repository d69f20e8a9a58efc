// SPDX-License-Identifier: Apache-2.0

import RestTransport

extension HTTPTransportConformance {
    /// Responses cut at every byte: never a body that is not whole.
    public var cuts: [Check] {
        CutResponse.all.flatMap { response in
            [
                Check("takes no \(response.name) that is cut in its header", of: self) {
                    try await response.check($0, isInHeader: true)
                },
                Check("takes no \(response.name) that is cut in its body", of: self) {
                    try await response.check($0, isInHeader: false)
                },
            ]
        }
    }
}

/// A response, and up to where a cut makes it another one.
private struct CutResponse: Sendable {
    let name: String
    let header: [UInt8]
    let body: [UInt8]

    /// The bytes at the end that may be missing without harm to the body.
    let needlessByteCount: Int

    init(
        _ name: String, interim: String = "", _ fields: String, _ body: [UInt8],
        needlessByteCount: Int = 0
    ) {
        self.name = name
        self.header = Array("\(interim)HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n".utf8)
        self.body = body
        self.needlessByteCount = needlessByteCount
    }

    static let all: [CutResponse] = [
        CutResponse("sized body", "Content-Length: 11", Array("hello world".utf8)),
        CutResponse(
            "body after an interim response",
            interim: "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n", "Content-Length: 11",
            Array("hello world".utf8)),
        CutResponse(
            "chunked body", "Transfer-Encoding: chunked",
            // Nothing can follow but the end of the line.
            Array("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n".utf8), needlessByteCount: 1),
        CutResponse(
            "compressed body", "Content-Encoding: gzip\r\nTransfer-Encoding: chunked",
            Array("22\r\n".utf8) + Gzip.stored("hello world") + Array("\r\n0\r\n\r\n".utf8),
            needlessByteCount: 1),
    ]

    func check(_ bench: TransportBench, isInHeader: Bool) async throws {
        let whole = header + body
        let cuts =
            isInHeader
            ? 0..<header.count : header.count..<(whole.count - needlessByteCount)
        try await bench.play { connection in
            guard let request = connection.readRequestText() else { return }
            let count = Int(request.dropFirst(5).prefix { $0.isNumber }) ?? 0
            connection.send(Array(whole.prefix(count)))
        } body: { client, _ in
            let text = try await client.readText("\(whole.count)")
            try require(text, is: "hello world", "the whole body")
            for cut in cuts {
                do {
                    try await bench.error(
                        [.incompleteBody, .connectionLost, .malformedResponse]
                    ) { _ = try await client.read("\(cut)") }
                } catch let failure as ConformanceFailure {
                    throw ConformanceFailure("cut at byte \(cut): \(failure)")
                }
            }
        }
    }
}
