// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// The side of a run that is off the hot path: issues, transforms, escaped keys.
///
/// Not Sendable: lives in the stack of one run.
@usableFromInline
final class MappingContext {
    private struct Record {
        var node: Int
        var mapping: Int
        var property: Int
        var code: MappingIssue.Code
        var expected: String
    }

    let plan: MappingPlan
    let storage: DocumentStorage
    private let recordLimit: Int
    private var records: [Record] = []
    private var unkeptCount = 0
    /// Counts by the raw value of the kind; empty before the first.
    private var coercionCounts: [Int] = []
    var droppedObjectCount = 0

    init(plan: MappingPlan, storage: DocumentStorage, recordLimit: Int) {
        self.plan = plan
        self.storage = storage
        self.recordLimit = recordLimit
    }

    func note(_ kind: Coercion) {
        if coercionCounts.isEmpty {
            coercionCounts = Array(repeating: 0, count: Coercion.allCases.count)
        }
        coercionCounts[Int(kind.rawValue)] += 1
    }

    func record(
        _ failure: MappingFailure, at source: MappingSource, mapping: Int, property: Int
    ) {
        guard records.count < recordLimit else {
            unkeptCount += 1
            return
        }
        records.append(
            Record(
                node: failure.node >= 0 ? failure.node : source.node.index,
                mapping: mapping, property: property, code: failure.code,
                expected: failure.expected))
    }

    /// Moves what was met into a report, with the paths rebuilt in one pass over the tape.
    ///
    /// - Returns: The last issue recorded, which is the one that ended the run if it ended.
    @discardableResult
    func finish(into report: inout MappingReport) -> MappingIssue? {
        let order = records.indices.sorted { records[$0].node < records[$1].node }
        let sorted = storage.view(at: 0).paths(of: order.map { records[$0].node })
        var paths = [DocumentPath](repeating: DocumentPath([]), count: records.count)
        for (position, index) in order.enumerated() { paths[index] = sorted[position] }
        var last: MappingIssue?
        for (index, record) in records.enumerated() {
            let table = plan.tables[record.mapping]
            let issue = MappingIssue(
                path: paths[index], mapping: table.name,
                property: record.property >= 0 ? table.properties[record.property].name : nil,
                code: record.code, expected: record.expected,
                found: Node(storage: storage, index: record.node).kind.description)
            report.add(issue)
            last = issue
        }
        report.add(unkept: unkeptCount)
        for (kind, count) in zip(Coercion.allCases, coercionCounts) where count > 0 {
            report.coercions[kind, default: 0] += count
        }
        report.droppedObjectCount += droppedObjectCount
        return last
    }

    /// The rare key that is written with escapes: compared as text.
    @usableFromInline
    func matchEscaped(_ key: NodeView, _ object: ObjectPlan) -> Int {
        let text = key.string()
        for index in Int(object.firstKey)..<Int(object.firstKey + object.keyCount)
        where plan.keyNames[index] == text {
            return index
        }
        return -1
    }
}
