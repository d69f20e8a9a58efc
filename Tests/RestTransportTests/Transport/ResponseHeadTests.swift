// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import TestSupport
import Testing

/// The heads of responses: those that are accepted, and the defects of others.
@Suite struct ResponseHeadTests {
    @Test(
        arguments: [
            ("HTTP/1.1 200 OK\r\nA: 1\r\n", nil),
            ("HTTP/1.1 200 OK\nA:\n", nil),
            ("HTTP/2 200 \r\na: caf\u{e9}\r\n", nil),
            ("HTTP/1.1 20 OK\r\n", .statusLine),
            ("HTTP/x.1 200 OK\r\n", .statusLine),
            ("HTTP/1.1 101 Go\r\n", .protocolSwitch),
            ("HTTP/1.1 200 OK\r\nA: 1\r\nB : 1\r\n", .field(line: 2)),
            ("HTTP/1.1 200 OK\r\n: 1\r\n", .field(line: 1)),
            ("HTTP/1.1 200 OK\r\nA: 1\r\n folded\r\n", nil),
            ("HTTP/1.1 200 OK\r\n folded\r\n", .field(line: 1)),
            ("HTTP/1.1 200 OK\r\nA: \u{1}\r\n", .field(line: 1)),
        ] as [(String, ResponseHead.Defect?)])
    func findsFirstDefect(text: String, defect: ResponseHead.Defect?) {
        #expect(ResponseHead.defect(in: Array(text.utf8)) == defect)
    }

    /// The two readers of a head agree: one decides about the connection, the other about the response.
    @Test func findsDefectIfAndOnlyIfParsingFails() throws {
        let request = TransportRequest(method: .get, url: try HTTPURL(parsing: "http://127.0.0.1/"))
        var generator = SplitMix64(seed: 7)
        let heads = [
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-A: 1, 2\r\n\r\n",
            "HTTP/1.0 404 Not Found\r\nServer:\r\n\r\n",
        ].map { Array($0.utf8) }
        for _ in 0..<20_000 {
            var head = heads[Int.random(in: 0..<heads.count, using: &generator)]
            for _ in 0..<Int.random(in: 0...2, using: &generator) {
                let index = Int.random(in: 0..<head.count, using: &generator)
                head[index] = UInt8.random(in: 0...255, using: &generator)
            }
            // The empty line is not part of a head.
            head.removeLast(2)
            let isParsed =
                (try? ResponseHead.parse(.lines(head), of: request)) != nil
            #expect((ResponseHead.defect(in: head) == nil) == isParsed, "\(head)")
        }
    }
}
