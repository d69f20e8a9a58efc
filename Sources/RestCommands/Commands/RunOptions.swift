// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import RestDefinition
import RestKit
import RestMirror
import RestXML

/// The options of commands that run a definition.
struct RunOptions: ParsableArguments {
    /// The number of times that a run changes the schema and reads all pages again.
    private static let evolutionCount = 3

    @Flag(help: "Print events as lines of JSON on standard output.")
    var json = false

    @Flag(name: .shortAndLong, help: "Send as many requests as needed, whatever the ceiling.")
    var yes = false

    @Option(
        help: ArgumentHelp(
            "Send at most this number of requests, in place of the ceiling of the definition.",
            valueName: "count"))
    var maximumRequests: Int?

    @Flag(
        inversion: .prefixedNo,
        help: "Record the response that has written each value, for `rest explain`.")
    var explain = true

    func validate() throws {
        if yes, maximumRequests != nil {
            throw ValidationError("--yes and --maximum-requests exclude each other.")
        }
        if let maximumRequests, maximumRequests < 1 {
            throw ValidationError("--maximum-requests is a number from 1.")
        }
    }

    /// Runs a definition and prints its progress and its result.
    ///
    /// - Parameters:
    ///   - definition: The definition.
    ///   - file: The file of the mirror.
    ///   - origin: The URL from which the definition was inferred; `nil` for one that was written.
    ///   - folder: The folder of the files with secrets.
    ///   - allowance: The requests of which the inference has taken some; `nil` for none.
    ///   - console: The output.
    /// - Throws: `ExitCode`.
    func run(
        _ definition: Definition, into file: URL, from origin: String? = nil, folder: URL?,
        within allowance: RequestAllowance? = nil, on console: Console
    ) async throws {
        let reporter = MirrorReporter(console, printsJSON: json)
        let summary: MirrorSummary
        do {
            let limit = self.limit(of: definition, on: console)
            guard try await isAllowed(definition, file, from: origin, limit, on: console) else {
                throw ExitCode(3)
            }
            summary = try await Interruption.guarding {
                try await run(
                    definition, into: file, from: origin, folder: folder,
                    allowance ?? RequestAllowance(limit), reporter)
            }
        } catch let interruption as Interruption {
            reporter.finish()
            throw ExitCode(interruption.exitCode)
        } catch let code as ExitCode {
            throw code
        } catch {
            reporter.finish()
            console.report(TerminalText.escaped("\(error)"))
            throw ExitCode(Self.isIncomplete(error) ? 3 : 1)
        }
        reporter.finish()
        if !json { print(summary, file, on: console) }
        if summary.isCancelled { throw ExitCode(130) }
        if !summary.isComplete { throw ExitCode(3) }
    }

    /// Returns a Boolean value that indicates whether the same command can succeed later.
    private static func isIncomplete(_ error: any Error) -> Bool {
        guard let error = error as? MirrorError else { return false }
        return [.ceilingReached, .runInProgress].contains(error.code)
    }

    /// Runs a definition, and once more after each change of the schema.
    private func run(
        _ definition: Definition, into file: URL, from origin: String?, folder: URL?,
        _ allowance: RequestAllowance, _ reporter: MirrorReporter
    ) async throws -> MirrorSummary {
        let transport = try HTTPClient(baseURL: definition.api.base).transport
        let secrets = SecretReader(
            environment: ProcessInfo.processInfo.environment, folder: folder)
        var formats = FormatRegistry.standard
        formats.registerXML()
        var current = definition
        if origin == nil {
            current = try await DefinitionCompletion(
                of: definition, over: transport, secrets: secrets, formats: formats,
                allowance: allowance
            ).completed(for: file)
        }
        var rest = Self.evolutionCount
        while true {
            let mirror = try await APIMirror(
                current, at: file, from: origin, completing: origin == nil ? definition : nil,
                over: transport, secrets: secrets, formats: formats, explainsRows: explain)
            let summary = try await mirror.run(within: allowance) { reporter.report($0) }
            let evolved = mirror.evolvedDefinition
            try mirror.close()
            guard let evolved, rest > 0, !summary.isCancelled else { return summary }
            rest -= 1
            reporter.report(evolutionOf: current, to: evolved)
            current = evolved
        }
    }

    // MARK: Consent

    /// Returns the number of requests that the run may send; a person at a terminal is asked for more.
    private func limit(of definition: Definition, on console: Console) -> RequestLimit {
        if yes { return .none }
        if let maximumRequests { return RequestLimit(maximumRequests) }
        guard console.canAsk else { return RequestLimit(definition.api.budget.ceiling) }
        return RequestLimit(definition.api.budget.ceiling) { count in
            await console.ask("\(count) requests have been sent, which is the ceiling. Continue?")
        }
    }

    /// Returns a Boolean value that indicates whether the requests that are expected may be sent.
    private func isAllowed(
        _ definition: Definition, _ file: URL, from origin: String?, _ limit: RequestLimit,
        on console: Console
    ) async throws -> Bool {
        // A number of requests is not exceeded, and what it does not suffice for is read by the next run.
        guard maximumRequests == nil, let ceiling = limit.count else { return true }
        // A definition from the first responses of a URL has been completed.
        let samples =
            origin == nil
            ? try DefinitionCompletion(
                of: definition, over: HTTPClient(baseURL: definition.api.base).transport
            ).expectedRequestCount(for: file) : 0
        let isPresent = FileManager.default.fileExists(atPath: file.path(percentEncoded: false))
        let status = isPresent ? try MirrorStatus(of: file) : nil
        let expected = try MirrorPlan.expectations(of: definition, status)
            .reduce(samples) { $0 + $1.requestCount }
        if expected <= ceiling { return true }
        let text = "\(expected) requests are expected, and the ceiling is \(ceiling)"
        if console.canAsk { return await console.ask(text + ". Continue?") }
        console.report("\(text): nothing was sent; write --yes or --maximum-requests")
        return false
    }

    private func print(_ summary: MirrorSummary, _ file: URL, on console: Console) {
        let rows = summary.rows
        console.print(
            "\(file.lastPathComponent): \(rows.inserted) new, \(rows.updated) changed, "
                + "\(rows.deleted) deleted, \(rows.unchanged) compared and unchanged; "
                + "\(summary.requestCount) requests")
        if summary.isComplete { return }
        let names =
            summary.resources.filter { $0.failure != nil }.map(\.resource)
            + summary.warnings.filter(\.isIncomplete).map(\.resource)
        console.report(
            "incomplete: \(Set(names).sorted().joined(separator: ", ")); "
                + "run the same command again to go on")
    }
}
