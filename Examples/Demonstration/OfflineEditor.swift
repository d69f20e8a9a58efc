// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import RestCommands
import RestKit

/// The process of the demonstration that edits without a connection, and is killed before it could send anything.
enum OfflineEditor {
    /// The texts that the process gives to the notices which the demonstration has created.
    static let texts = [
        "The car park is full until noon.", "Snow delays flights by two hours.",
    ]
    /// The text of a notice that the process creates.
    static let newText = "Gate 12 is closed."

    private static var configuration: OutboxConfiguration {
        var configuration = OutboxConfiguration()
        // The process that follows need not wait long.
        configuration.leaseDuration = .milliseconds(500)
        configuration.maximumDelay = .milliseconds(200)
        configuration.baseDelay = .milliseconds(100)
        return configuration
    }

    /// Returns the outbox of the notices.
    static func outbox(
        of store: ManagedObjectStore, _ api: ObjectManager, startsPaused: Bool
    ) async throws -> Outbox {
        var configuration = configuration
        configuration.startsPaused = startsPaused
        return try await Outbox(store: store, manager: api, configuration: configuration) {
            Sends(Notice.self)
        }
    }

    /// Saves edits, tries to send them without a connection, and ends this process by SIGKILL.
    @MainActor static func run(in file: DatabaseFile, _ baseURL: String) async throws {
        let store = try await DemoSession.openStore(file)
        let (api, connection) = try DemoSession.connect(to: baseURL)
        let outbox = try await outbox(of: store, api, startsPaused: false)
        try await connection.cut {
            let count = AirportCatalog().notices.count
            let context = store.mainContext
            let notices = try context.fetch(Notice.self, where: { $0.id > count }, orderBy: \.id)
            for (notice, text) in zip(notices, texts) { notice.text = text }
            let new = try Notice.insert(into: context, text: newText)
            new.airport = try context.first(Airport.self, where: { $0.code == "OSL" })
            try await context.save()
            try await outbox.drain()
            AbruptEnd.killProcess()
        }
    }

    /// Runs the process, and returns when it was killed.
    ///
    /// - Throws: ``ToolError`` with code `unexpectedResult` if it ended otherwise.
    static func runProcess(in file: DatabaseFile, _ baseURL: String) async throws {
        let process = Process()
        process.executableURL = try executable()
        process.arguments = [
            "--database", file.url.path(percentEncoded: false), "--edit-offline", baseURL,
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in done.resume() }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                done.resume(throwing: error)
            }
        }
        guard process.terminationReason == .uncaughtSignal,
            process.terminationStatus == AbruptEnd.signal
        else {
            throw ToolError(
                .unexpectedResult,
                "the process that edits offline ended with \(process.terminationStatus)")
        }
    }

    /// Returns this program; in a test, the one beside the tests.
    private static func executable() throws -> URL {
        guard let running = Bundle.main.executableURL else {
            throw ToolError(.unexpectedResult, "the program has no path")
        }
        if running.lastPathComponent == "rest-demo" { return running }
        let program = running.deletingLastPathComponent().appending(path: "rest-demo")
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw ToolError(.unexpectedResult, "there is no program rest-demo beside the tests")
        }
        return program
    }
}
#endif
