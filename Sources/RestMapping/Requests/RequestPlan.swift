// SPDX-License-Identifier: Apache-2.0

/// A compiled request mapping: flat arrays of keys and steps, without lookups by name.
public struct RequestPlan: Sendable {
    /// A mapping that is chosen for each object.
    struct Choice: Sendable {
        struct Candidate: Sendable {
            let matches: @Sendable (any RequestSubject) -> Bool
            let object: Int
        }

        let candidates: [Candidate]
    }

    @usableFromInline let storage: RequestPlanStorage
    let tables: [PropertyTable]
    /// The key of each step.
    let keyNames: [String]
    let valueOptions: [RequestValueOptions]
    let choices: [Choice]
    /// The only key of the object that wraps the representation, or nil.
    let rootKey: String?
    /// The format of dates for which the mappings declare none.
    public var dates = DateFormat.iso8601

    init(
        storage: RequestPlanStorage, tables: [PropertyTable], keyNames: [String],
        valueOptions: [RequestValueOptions], choices: [Choice], rootKey: String?
    ) {
        self.storage = storage
        self.tables = tables
        self.keyNames = keyNames
        self.valueOptions = valueOptions
        self.choices = choices
        self.rootKey = rootKey
    }

    /// The properties of the type or entity that the plan is for.
    public var table: PropertyTable { tables[0] }

    func property(of step: Int) -> Int? {
        let property = unsafe Int(storage.steps[step].property)
        return property < 0 ? nil : property
    }
}
