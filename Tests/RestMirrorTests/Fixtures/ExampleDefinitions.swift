// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDefinition
import RestKit
import RestMirror
import RestYAML

/// The definitions under `Examples/Definitions`.
enum ExampleDefinitions {
    /// Returns an example whose API has another base URL.
    static func read(_ name: String, at base: String) throws -> Definition {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let url = root.appending(path: "Examples/Definitions/\(name).yaml")
        let text = try String(contentsOf: url, encoding: .utf8)
        var definition = try DefinitionFile(reading: SourceValue(parsingYAML: text)).definition
        definition.api.base = base
        // A token endpoint needs TLS, which the doubles do not have.
        if case .clientCredentials = definition.api.authentication {
            definition.api.authentication = .bearer([.environment("ACCESS_TOKEN")])
            definition.api.responses.removeAll { $0.action == .refresh }
        }
        return definition
    }
}

extension MirrorFile {
    /// The secrets of the examples.
    static let environment = [
        "GITHUB_TOKEN": "t1", "STRIPE_KEY": "t2", "ELASTIC_KEY": "t3", "ACCESS_TOKEN": "a",
    ]

    /// Completes a definition and runs it once, as the tool does.
    @discardableResult
    func sync(
        _ definition: Definition,
        reporting report: @escaping @Sendable (MirrorEvent) -> Void = { _ in }
    ) async throws -> MirrorSummary {
        let secrets = SecretReader(environment: Self.environment)
        let completed = try await DefinitionCompletion(
            of: definition, over: CurlTransport(), secrets: secrets, clock: clock, budgets: budgets
        ).completed(for: url)
        let mirror = try await APIMirror(
            completed, at: url, completing: definition, over: CurlTransport(), secrets: secrets,
            clock: clock, budgets: budgets)
        defer { try? mirror.close() }
        return try await mirror.run(reporting: report)
    }
}
