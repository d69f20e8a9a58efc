// SPDX-License-Identifier: Apache-2.0

public import RestDocument

extension Document {
    /// Creates the representation of a value, as a request mapping without options writes it.
    ///
    /// Nil is null, and mapped objects are written by their default mapping.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - dates: The format of dates.
    /// - Throws: ``MappingError`` when a value has no representation, such as NaN.
    public init<Value: MappableValue>(
        representing value: Value, dates: DateFormat = .iso8601
    ) throws(MappingError) {
        if let document = value as? Document {
            self = document
            return
        }
        var plan: RequestPlan
        if let table = Value.relation?.table {
            plan = try RequestPlan(RequestMapping(defaultFor: table))
        } else {
            plan = RequestPlan.values
        }
        plan.dates = dates
        self = try plan.runToDocument { writer throws(MappingFailure) in
            try value.write(to: &writer)
            if writer.count == 0 { writer.null() }
        }
    }
}

extension RequestPlan {
    /// A plan without objects, for plain values.
    fileprivate static let values: RequestPlan = {
        var compiler = RequestPlanCompiler()
        compiler.compile(
            .request(RequestMapping(table: PropertyTable(entity: "parameters", []))))
        return compiler.plan(rootKey: nil)
    }()
}
