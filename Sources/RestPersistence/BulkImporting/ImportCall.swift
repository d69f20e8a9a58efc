// SPDX-License-Identifier: Apache-2.0

/// The result and the progress of a call that imports one or more sources.
struct ImportCall {
    var summary = ImportSummary()
    private let totalByteCount: Int?
    private let start = ContinuousClock.now
    /// The elements and bytes of the sources that are complete.
    private var completed = (elementCount: 0, byteCount: 0)
    private var resumed = (elementCount: 0, byteCount: 0)

    init(totalByteCount: Int?) { self.totalByteCount = totalByteCount }

    /// Returns the progress at the position of a source.
    func progress(of source: SourceImport) -> ImportProgress {
        ImportProgress(
            source: source.name, elementCount: completed.elementCount + source.elementCount,
            byteCount: completed.byteCount + source.readByteCount, totalByteCount: totalByteCount,
            resumedElementCount: resumed.elementCount + source.resumed.elementCount,
            resumedByteCount: resumed.byteCount + source.resumed.prefix.byteCount,
            elapsed: ContinuousClock.now - start)
    }

    /// Adds a source that is complete.
    mutating func finish(_ source: SourceImport) {
        let elementCount = max(source.elementCount, source.resumed.elementCount)
        completed.elementCount += elementCount
        completed.byteCount += max(source.readByteCount, source.resumed.prefix.byteCount)
        resumed.elementCount += source.resumed.elementCount
        resumed.byteCount += source.resumed.prefix.byteCount
        summary.resumedElementCount += source.resumed.elementCount
    }
}
