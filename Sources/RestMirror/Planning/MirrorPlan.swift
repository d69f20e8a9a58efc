// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RestDefinition
import RestTransport

/// A plan of a run: the settings of its definition, and the requests that it is expected to send.
///
/// ```swift
/// let plan = try MirrorPlan(of: definitionFile, storedIn: file)
/// print(plan.requestCount, plan.isMinimum ? "or more" : "")
/// ```
///
/// Nothing is requested. The numbers follow from the state of the file: the pages of the last run, and the present
/// parents.
public struct MirrorPlan: Sendable, Equatable {
    /// The requests for a resource.
    public struct Expectation: Sendable, Equatable {
        /// The name of the resource.
        public var resource: String
        /// The number of lists: one, or one for each combination of parents.
        public var listCount: Int
        /// The number of requests.
        public var requestCount: Int
        /// A Boolean value that indicates whether there can be more requests, because the length of lists is unknown.
        public var isMinimum: Bool
        /// The facts from which the number follows.
        public var basis: String
    }

    /// The settings, in the order of the format.
    public let settings: [EffectiveSetting]
    /// The requests for each resource, in the order of the run.
    public let expectations: [Expectation]
    /// The number of requests above which a run asks; `nil` for none.
    public let ceiling: Int?

    /// The number of expected requests.
    public var requestCount: Int { expectations.reduce(0) { $0 + $1.requestCount } }
    /// A Boolean value that indicates whether there can be more requests.
    public var isMinimum: Bool { expectations.contains(where: \.isMinimum) }

    /// Plans a run.
    ///
    /// - Parameters:
    ///   - definition: The definition.
    ///   - url: The file of the mirror, which need not exist; `nil` to plan a first run.
    ///   - date: The time of the run.
    /// - Throws: ``MirrorError`` with code `invalidDefinition` for parents in a circle; `notAMirror` or
    ///   `storeFailed`.
    public init(
        of definition: DefinitionFile, storedIn url: URL? = nil, at date: Date = Date()
    ) throws(MirrorError) {
        var status: MirrorStatus?
        if let url, FileManager.default.fileExists(atPath: url.path(percentEncoded: false)) {
            status = try MirrorStatus(of: url)
        }
        self.init(
            settings: definition.effectiveSettings(completed: status?.definition),
            expectations: try Self.expectations(of: definition.definition, status, at: date),
            ceiling: definition.definition.api.budget.ceiling)
    }

    private init(settings: [EffectiveSetting], expectations: [Expectation], ceiling: Int?) {
        self.settings = settings
        self.expectations = expectations
        self.ceiling = ceiling
    }

    /// Returns the requests that a run of a definition is expected to send.
    ///
    /// - Throws: ``MirrorError`` as for ``init(of:storedIn:at:)``.
    public static func expectations(
        of definition: Definition, _ status: MirrorStatus?, at date: Date = Date()
    ) throws(MirrorError) -> [Expectation] {
        var rowCounts: [String: Int?] = [:]
        var expectations: [Expectation] = []
        for resource in try ResourceOrder.levels(of: definition).flatMap(\.self) {
            let known = status?.resources.first { $0.name == resource.name }
            let expectation = Self.expectation(
                of: resource, known.flatMap { $0.listCount > 0 ? $0 : nil }, rowCounts, date)
            rowCounts[resource.name] = .some(known?.listCount ?? 0 > 0 ? known?.recordCount : nil)
            expectations.append(expectation)
        }
        return expectations
    }

    private static func expectation(
        of resource: ResourceDefinition, _ known: MirrorStatus.Resource?,
        _ rowCounts: [String: Int?], _ date: Date
    ) -> Expectation {
        let parents = parentCount(of: resource, rowCounts)
        let lists = max(parents ?? 0, known?.listCount ?? 0, resource.parents.isEmpty ? 1 : 0)
        var expectation = Expectation(
            resource: resource.name, listCount: lists, requestCount: lists, isMinimum: true,
            basis: "not read yet")
        if !resource.parents.isEmpty, parents == nil, known == nil {
            let names = resource.parents.map(\.name).joined(separator: ", ")
            expectation.basis = "one or more for each record of \(names), which are not read yet"
            return expectation
        }
        guard let known else {
            if !resource.parents.isEmpty { expectation.basis = "\(lists) parents, not read yet" }
            return expectation
        }
        if let cursor = resource.cursor {
            let intervals = intervalCount(of: cursor, from: known.cursor, date)
            expectation.requestCount = lists * intervals
            expectation.basis =
                "changes since \(known.cursor ?? "the beginning")"
                + (intervals > 1 ? " in \(intervals) steps" : "")
            return expectation
        }
        let new = max(0, lists - known.listCount)
        let average = max(1, (known.pageCount + known.listCount - 1) / max(1, known.listCount))
        expectation.requestCount = max(lists, known.pageCount + new * average)
        expectation.isMinimum =
            known.completeListCount < known.listCount || known.interruptedListCount > 0 || new > 0
        expectation.basis =
            "\(known.pageCount) pages of the last run"
            + (new > 0 ? ", \(new) new parents" : "")
        return expectation
    }

    /// Returns the number of combinations of parents; `nil` if it is not known.
    private static func parentCount(
        of resource: ResourceDefinition, _ rowCounts: [String: Int?]
    ) -> Int? {
        var product = 1
        for parent in resource.parents {
            let count: Int
            switch parent.source {
            case .values(let values): count = values.count
            case .query: return nil
            case .resource(let name):
                guard let known = rowCounts[name] ?? nil else { return nil }
                count = known
            }
            let size = parent.batch?.count ?? 1
            product *= (count + size - 1) / size
        }
        return product
    }

    private static func intervalCount(
        of cursor: CursorDefinition, from position: String?, _ date: Date
    ) -> Int {
        guard case .duration(let step)? = cursor.step,
            let seconds = position.flatMap({ CursorValue($0).seconds(as: cursor.format) })
        else { return 1 }
        let distance = date.timeIntervalSince1970 - seconds
        return max(1, Int((distance / (step / .seconds(1))).rounded(.up)))
    }
}
