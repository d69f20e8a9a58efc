// SPDX-License-Identifier: Apache-2.0

extension EncodingSession {
    /// The state that is needed to undo a member or element that fails.
    struct Savepoint {
        let container: Int
        let count: Int
        let length: Int
        let text: Int
        let openCount: Int
        let recordCount: Int
    }

    /// Returns the state before a member or element of a container is encoded.
    @inline(__always)
    func savepoint(_ container: Int) -> Savepoint {
        focus(container)
        return Savepoint(
            container: container, count: self[container].count, length: text.count,
            text: textIndex, openCount: open.count, recordCount: records.count)
    }

    /// Undoes a failed member or element, as its type may catch the error and continue.
    @inline(never)
    func rollBack(to savepoint: Savepoint) {
        switchText(to: savepoint.text)
        for record in savepoint.recordCount..<records.count { self[record].state = .dropped }
        segments.removeAll { $0.record >= savepoint.recordCount }
        guard open.count >= savepoint.openCount,
            open[savepoint.openCount - 1] == savepoint.container
        else {
            return
        }
        open.truncate(to: savepoint.openCount)
        text.truncate(to: savepoint.length)
        self[savepoint.container].count = savepoint.count
        let isObject = self[savepoint.container].kind == .object
        if isObject {
            keyHashes.truncate(to: self[savepoint.container].firstHash + savepoint.count)
        }
    }

    /// Undoes a failed single value, which may be encoded again.
    @inline(never)
    func rollBack(
        inPlace record: Int, text: Int, length: Int, _ openCount: Int, _ recordCount: Int
    ) {
        switchText(to: text)
        for record in recordCount..<records.count { self[record].state = .dropped }
        segments.removeAll { $0.record >= recordCount }
        guard open.count >= openCount else { return }
        open.truncate(to: openCount)
        self.text.truncate(to: length)
        if open.last != record { open.append(record) }
        self[record].kind = .empty
        self[record].state = .open
    }
}
