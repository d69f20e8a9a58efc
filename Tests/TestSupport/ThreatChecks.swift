// SPDX-License-Identifier: Apache-2.0

package import RestTesting
import Testing

/// The names of the conformance checks that prove a threat.
///
/// A check that the kit loses is a failed test, and so is a transport that does not pass or skips it.
package enum ThreatChecks {
    /// The adapters that withstand T15 to T17: Foundation reads headers and framing itself, with deviations
    /// that no transport can mend.
    package static let readers = Adapter.allCases.filter { $0 != .urlSession }

    /// The checks that prove a threat over an adapter.
    package static func names(over adapter: Adapter) -> [String] {
        decompression + silence
            + (readers.contains(adapter) ? framing + headers + statuses : [])
    }

    /// T12.
    package static let decompression = [
        "counts decompressed bytes", "stops a bomb by its compression ratio",
        "stops a bomb by its decompressed size", "rejects a nested bomb",
        "rejects a nested bomb in two fields", "rejects two content codings",
    ]

    /// T13.
    package static let silence = [
        "times out an unanswered connection", "times out an unanswered TLS handshake",
        "times out a missing header", "times out a stalled header", "times out a trickling header",
        "times out a trickling header line", "times out a stalled body",
        "times out a trickling body", "times out trickling chunks",
    ]

    /// T15.
    package static let framing =
        rejectedFraming.map { "rejects \($0)" } + misleadingFraming.map { "never misreads \($0)" }

    private static let rejectedFraming = [
        "two lengths, the longer one first", "two lengths, the shorter one first",
        "two lengths in one field", "a negative length", "a length with a sign",
        "a hexadecimal length", "a length in words", "a length followed by another",
        "a length beyond 64 bits", "an unknown transfer coding", "a second transfer coding",
        "the chunked coding twice", "a chunk size in words", "an empty chunk size",
        "a negative chunk size", "a chunk size with a sign", "a chunk size with a prefix",
        "a chunk size beyond 64 bits", "a chunk longer than its size",
        "a chunk shorter than its size", "a control character in a name", "a zero byte in a value",
        "a line without a colon", "a field without a name", "another protocol name",
        "an invalid HTTP version",
    ]

    private static let misleadingFraming = [
        "one length twice", "one length twice in one field", "an empty length",
        "a length before a transfer coding", "a transfer coding before a length",
        "whitespace before a chunk size", "whitespace after a chunk size", "chunks with bare LF",
        "a header with bare LF", "a folded field", "whitespace before a colon",
        "whitespace before a field", "a bare CR in a value", "an empty line before the status line",
    ]

    /// T16.
    package static let headers = [
        "limits a header to 256 fields", "rejects 20,000 header fields",
        "limits a header to 65,536 bytes", "rejects a header of 2 MB", "rejects an endless header",
        "stops reading an endless header", "limits interim responses",
    ]

    /// T17.
    package static let statuses =
        [200, 203, 204, 205, 304, 404, 500, 599, 999].map { "delivers status \($0)" }
        + [100, 102, 103, 199].map { "skips interim status \($0)" }
        + ["204 No Content", "304 Not Modified"].map {
            "never reads a body of \($0) as the next response"
        }
        + ["000", "0", "99", "1000", "20", "-20", "2x0", ""].map { "rejects status code `\($0)`" }
        + ["rejects 101 Switching Protocols"]

    /// Runs a check over an adapter, of which no failure and no omission is declared.
    package static func run(_ name: String, over adapter: Adapter) async throws {
        let check = try #require(
            adapter.conformance.checks.first { $0.name == name },
            "the kit has no check of this name")
        switch check.deviation?.effect {
        case .skips, .fails: Issue.record("the transport declares that it does not pass")
        case .allows, nil: try await check.run()
        }
    }
}

extension Adapter {
    /// The checks of the conformance kit that prove no threat over the adapter.
    package var otherChecks: [HTTPTransportConformance.Check] {
        let names = Set(ThreatChecks.names(over: self))
        return conformance.checks.filter { !names.contains($0.name) }
    }
}
