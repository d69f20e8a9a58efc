// SPDX-License-Identifier: Apache-2.0

import RestPersistence
import Synchronization
import TestSupport
import Testing

@Suite struct IdentityMapTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Objects of the main context are released on other threads while the context looks them up.
    ///
    /// `scripts/sanitize thread` runs it under ThreadSanitizer.
    @MainActor
    @Test(.tags(.concurrency)) func toleratesReleaseOnOtherThreads() async throws {
        let store = try await files.open()
        let context = store.mainContext
        for number in 0..<64 { try context.insert(Terminal.self).number = number }
        try await context.save()
        for round in 1...100 {
            let released = ReleasedHolder(Holder(try context.fetch(Terminal.self)))
            async let release: Void = released.release()
            let terminals = try context.fetch(Terminal.self, orderBy: \.number)
            #expect(terminals.map(\.number).reduce(0, +) == 2016)
            #expect(Set(terminals.map(ObjectIdentifier.init)).count == 64)
            terminals[round % 64].airlines = []
            await release
        }
        #expect(!context.hasChanges)
    }

    @Test func keepsOneObjectWhileItLives() async throws {
        let store = try await files.open()
        let context = store.makeContext()
        let kept = try context.insert(Terminal.self)
        kept.number = -1
        for number in 0..<2_000 { try context.insert(Terminal.self).number = number }
        try await context.save()
        // Released objects have been swept, and the living one is still known.
        let found = try context.fetch(Terminal.self, where: { $0.number == -1 })
        #expect(found.first === kept)
        #expect(try context.object(with: kept.objectID) === kept)
    }
}

/// A holder as a view model would be.
@MainActor private final class Holder {
    private let terminals: [Terminal]

    init(_ terminals: [Terminal]) { self.terminals = terminals }
}

private final class ReleasedHolder: Sendable {
    private let holder: Mutex<Holder?>

    init(_ holder: Holder) { self.holder = Mutex(holder) }

    @concurrent func release() async { holder.withLock { $0 = nil } }
}
