// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import RestCommands
import RestInference
import RestMirror

/// Steps that read the server without a declaration.
extension DemoStep {
    /// Reads the airports into another file twice, by what their first pages show.
    static let mirror = DemoStep("mirror") { session in
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "rest-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = "\(session.server.baseURL)airports"
        let inferred = try await MirrorDiscovery(of: url, over: session.connection).definition()
        var runs: [MirrorSummary] = []
        for _ in 0..<2 {
            let mirror = try await APIMirror(
                inferred.definition, at: folder.appending(path: "airports.db"), from: url,
                over: session.connection)
            runs.append(try await mirror.run())
            try mirror.close()
        }
        guard runs.allSatisfy(\.isComplete) else {
            throw ToolError(.unexpectedResult, "a mirror without a definition is incomplete")
        }
        let count = runs[0].resources.reduce(0) { $0 + $1.recordCount }
        try session.expect(count, session.server.catalog.airports.count, "mirrored airports")
        if runs[1].rows.hasChanges {
            throw ToolError(.unexpectedResult, "mirroring again wrote rows")
        }
        return Outcome(
            summary: "\(count) airports in \(runs[0].rows.inserted) rows without a declaration; "
                + "a second run writes none",
            details: inferred.summary)
    }
}
#endif
