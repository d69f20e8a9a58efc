// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// The side of a run that is off the hot path: issues, special steps, escaped keys.
///
/// Not Sendable: lives in the stack of one run.
@usableFromInline
final class MappingContext {
    private struct Record {
        /// In the run's own document.
        var node: Int
        var mapping: Int
        var property: Int
        var code: MappingIssue.Code
        var expected: String
        var found: NodeKind
    }

    let plan: MappingPlan
    let storage: DocumentStorage
    /// Index of the value the run began with.
    let start: Int
    let environment: MappingEnvironment
    let recordLimit: Int
    private var records: [Record] = []
    /// The record of the issue that an object could not be built for, if it came before others.
    private var cause: Int?
    /// The last issue of those beyond the limit, as the run may end with it.
    private var unkept: Record?
    private var unkeptCount = 0
    /// Counts by the raw value of the kind; empty before the first.
    private var coercionCounts: [Int] = []
    var droppedObjectCount = 0
    /// What a validation threw last.
    var underlying: (any Error)?

    /// The keys that gave the objects around their names, outermost first.
    var nestingKeys: [String] = []
    /// The documents besides the run's own that values are from just now, and where in the run's
    /// own they were asked for.
    private var foreign: [(storage: DocumentStorage, place: Int)] = []
    private var enclosures = Enclosures()
    var held = HeldValues()
    /// Index of the key that stands for an object with that key alone, as the frame has it.
    var entry = -1
    var entryStorage: DocumentStorage?
    private var made: [(mapping: ObjectMapping, plan: MappingPlan)] = []
    /// What other plans met that ran for parts of the document.
    private var adopted: [MappingReport] = []
    /// The error that ended one of them, and so this one.
    private(set) var adoptedError: MappingError?

    init(
        plan: MappingPlan, node: Node, environment: MappingEnvironment, recordLimit: Int
    ) {
        self.plan = plan
        storage = node.storage
        start = node.index
        self.environment = environment
        self.recordLimit = recordLimit
    }

    /// What is written to instances when the whole run has succeeded.
    private var writes: [() throws(MappingFailure) -> Void] = []

    func writeLater(_ write: @escaping () throws(MappingFailure) -> Void) { writes.append(write) }

    func writeAll() throws(MappingFailure) {
        for write in writes { try write() }
    }

    var lookup: SourceLookup { SourceLookup(context: self) }

    // MARK: Issues

    func note(_ kind: Coercion) {
        if coercionCounts.isEmpty {
            coercionCounts = Array(repeating: 0, count: Coercion.allCases.count)
        }
        coercionCounts[Int(kind.rawValue)] += 1
    }

    func record(
        _ failure: MappingFailure, at source: MappingSource, mapping: Int, property: Int
    ) {
        cause = nil
        let view = failure.node >= 0 ? source.node.at(failure.node) : source.node
        let record = Record(
            node: place(of: view), mapping: mapping, property: property, code: failure.code,
            expected: failure.expected, found: NodeKind(view.kind))
        if records.count < recordLimit {
            records.append(record)
        } else {
            unkept = record
            unkeptCount += 1
        }
    }

    /// Whether a required property has no value because of an issue that is recorded already: that
    /// one says more, and ends the run if the object does.
    func blames(_ failure: MappingFailure, at source: MappingSource, mapping: Int) -> Bool {
        guard failure.code == .missingValue, failure.property >= 0, source.node.isOf(storage)
        else { return false }
        let (start, end) = (source.node.index, source.node.nextIndex)
        var index = records.count
        while index > 0, records[index - 1].node > start {
            index -= 1
            let record = records[index]
            if record.mapping == mapping, record.property == failure.property, record.node < end {
                cause = index
                return true
            }
        }
        return false
    }

    /// Takes over what another plan met.
    func adopt(_ report: MappingReport, ending error: MappingError? = nil) {
        adopted.append(report)
        if let error { adoptedError = error }
    }

    /// Moves what was met into a report, with the paths rebuilt in one pass over the tape.
    ///
    /// - Returns: The issue that ended the run, if it ended: the last one recorded, or the one that
    ///   an object could not be built for.
    @discardableResult
    func finish(into report: inout MappingReport) -> MappingIssue? {
        let keptCount = records.count
        if let unkept { records.append(unkept) }
        let order = records.indices.sorted { records[$0].node < records[$1].node }
        let sorted = storage.view(at: 0).paths(of: order.map { records[$0].node })
        var paths = [DocumentPath](repeating: DocumentPath([]), count: records.count)
        let outer = environment.collectedAt?.components ?? []
        for (position, index) in order.enumerated() {
            paths[index] = DocumentPath(outer + sorted[position].components)
        }
        var last: MappingIssue?
        for (index, record) in records.enumerated() {
            let table = plan.tables[record.mapping]
            let issue = MappingIssue(
                path: paths[index], mapping: table.name,
                property: record.property >= 0 ? table.properties[record.property].name : nil,
                code: record.code, expected: record.expected,
                found: record.code == .missingValue ? "nothing" : record.found.description)
            if index < keptCount { report.add(issue) }
            if cause == nil || cause == index { last = issue }
        }
        report.add(unkept: unkeptCount)
        for (kind, count) in zip(Coercion.allCases, coercionCounts) where count > 0 {
            report.coercions[kind, default: 0] += count
        }
        report.droppedObjectCount += droppedObjectCount
        for other in adopted { report.add(other) }
        return adoptedError?.issue ?? last
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

    /// The plan of a mapping that was made for a representation; compiled once in a run.
    func plan(of mapping: ObjectMapping) throws(MappingError) -> MappingPlan {
        if let known = made.first(where: { $0.mapping == mapping }) { return known.plan }
        let plan = try MappingCompiler().compile(mapping)
        made.append((mapping, plan))
        return plan
    }
}

// MARK: - Places

extension MappingContext {
    /// Begins to map a value of another document, asked for at a value of the run's own.
    func enter(_ storage: DocumentStorage, at view: NodeView) {
        foreign.append((storage, place(of: view)))
    }

    func leave() { foreign.removeLast() }

    private func entered(_ view: NodeView) -> (storage: DocumentStorage, place: Int)? {
        if view.isOf(storage) { return nil }
        return foreign.last { view.isOf($0.storage) }
    }

    /// A value with its document.
    func element(of view: NodeView) -> Node {
        Node(storage: entered(view)?.storage ?? storage, index: view.index)
    }

    /// Where a value stands, or was asked for, in the run's own document.
    func place(of view: NodeView) -> Int { entered(view)?.place ?? view.index }

    func isEntry(_ node: Node) -> Bool {
        node.index == entry && node.storage === entryStorage && node.kind == .string
    }

    /// The containers around a value, outermost first, those outside of the run's value left out.
    private func containers(around node: Node) -> [Enclosures.Container] {
        guard node.storage === storage else {
            var enclosures = Enclosures()
            Document(storage: node.storage).withView { enclosures.move(to: node.index, in: $0) }
            return enclosures.containers
        }
        enclosures.move(to: value(node.index), in: storage.view(at: 0))
        return enclosures.containers.filter { $0.index >= start }
    }

    /// Index of the value of a key, as only those have a place.
    private func value(_ index: Int) -> Int {
        index == entry && entryStorage === storage ? index + 1 : index
    }

    private func placeNode(of node: Node) -> Node? {
        guard node.storage !== storage,
            let place = foreign.last(where: { $0.storage === node.storage })?.place
        else { return nil }
        return Node(storage: storage, index: place)
    }

    /// The object around a value; nil for a representation the run began with.
    func parent(of node: Node) -> Node? {
        if let object = containers(around: node).last(where: \.isObject) {
            return Node(storage: node.storage, index: object.index)
        }
        return placeNode(of: node)
    }

    /// The representation the run began with, that a value is or is in.
    func root(of node: Node) -> Node {
        if let place = placeNode(of: node) { return root(of: place) }
        guard let outermost = containers(around: node).first(where: \.isObject) else {
            return node
        }
        return Node(storage: storage, index: outermost.index)
    }

    /// The position of an element in its list; nil for a value that is no element.
    func collectionIndex(of node: Node) -> Int? {
        let around = containers(around: node)
        guard let last = around.last, !last.isObject else {
            return node.storage === storage ? environment.collectionIndex : nil
        }
        return last.position
    }

    /// Whether a value is of an object inside of the one the run began with.
    func isRelated(_ node: Node) -> Bool {
        node.storage !== storage || containers(around: node).contains(where: \.isObject)
    }
}
