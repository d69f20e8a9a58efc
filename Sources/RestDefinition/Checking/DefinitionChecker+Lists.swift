// SPDX-License-Identifier: Apache-2.0

import RestDocument

extension DefinitionChecker {
    /// Reports settings of a pagination that have no effect; `resource` is `nil` for the API's.
    mutating func check(
        _ pagination: PaginationDefinition, of resource: ResourceDefinition?, _ keys: [String]
    ) {
        // What does not depend on the resource is reported once, at the API.
        let isInherited = resource != nil && keys.first == "api"
        if !isInherited {
            if pagination.stops.contains(.shortPage), pagination.size == nil {
                reportNoEffect(
                    keys + ["stop"], "for short pages without `size`",
                    "write `size`, the number of records of a page")
            }
            if pagination.rule.isLink, pagination.placement == .body {
                reportNoEffect(keys + ["placement"], "because a link is a URL")
            }
            for case .header(let name)? in [
                pagination.hasMore, pagination.total, pagination.totalPages,
            ]
            where !DefinitionKeys.isFieldName(name) {
                report(
                    .invalidValue, keys, "`\(name)` is not the name of a header field",
                    "write a name such as `X-Total-Count`")
            }
        }
        guard let resource else { return }
        if pagination.placement == .body, resource.body == nil, resource.method == .get {
            reportNoEffect(
                keys + ["placement"], "because the requests of `\(resource.name)` have no body",
                "write `method: POST` and `body`")
        }
        if pagination.cap != nil, resource.cursor?.isInterval(in: resource) != true {
            reportNoEffect(
                keys + ["cap"], "without a cursor with both ends of an interval",
                "write `cursor: {field: …, parameter: …, end_parameter: …}`")
        }
    }

    /// Reports settings of a cursor that have no effect or exclude each other.
    mutating func check(
        _ cursor: CursorDefinition, of resource: ResourceDefinition, _ keys: [String]
    ) {
        let isSent = cursor.parameter != nil || resource.templates.contains(where: \.usesCursor)
        if !isSent {
            let advice = "write `parameter`, the parameter with the start of the interval"
            if cursor.format != .verbatim {
                reportNoEffect(keys + ["format"], "without a parameter", advice)
            }
            if cursor.step != nil { reportNoEffect(keys + ["step"], "without a parameter", advice) }
            if cursor.retention != nil {
                reportNoEffect(keys + ["retention"], "without a parameter", advice)
            }
            if cursor.source == .requestTime {
                reportNoEffect(keys + ["request_time"], "without a parameter", advice)
            }
        }
        if isSent, cursor.step != nil, !cursor.isInterval(in: resource) {
            reportNoEffect(
                keys + ["step"], "without the end of an interval",
                "write `end_parameter`, or `{cursor.end}` in a parameter")
        }
        if cursor.parameter != nil,
            resource.templates.contains(where: { $0.parts.contains(.cursorStart) })
        {
            report(
                .conflict, keys + ["parameter"], "the start of the interval is sent twice",
                "remove `parameter`, or `{cursor.start}`")
        }
        if cursor.placement == .body, resource.body == nil {
            reportNoEffect(keys + ["placement"], "without a body", "write `body`")
        }
        if !cursor.isPerParent, resource.parents.isEmpty {
            reportNoEffect(keys + ["per_parent"], "without `for_each`")
        }
        if cursor.source == .requestTime, cursor.order != .none {
            reportNoEffect(keys + ["order"], "with `request_time`", "remove it, or write `field`")
        }
        for (key, distance) in [("lookback", cursor.lookback), ("step", cursor.step)] {
            checkKind(of: distance, key, cursor, keys)
        }
    }

    private mutating func checkKind(
        of distance: CursorDefinition.Distance?, _ key: String, _ cursor: CursorDefinition,
        _ keys: [String]
    ) {
        switch distance {
        case .count where cursor.format != .integer && cursor.format != .verbatim:
            report(
                .conflict, keys + [key], "the cursor is a date, but the distance is a number",
                "write a duration such as `5m`")
        case .duration where cursor.format == .integer:
            report(
                .conflict, keys + [key], "the cursor is an integer, but the distance is a duration",
                "write an integer")
        case .count(0), .duration(.zero):
            reportNoEffect(keys + [key], "with the value 0")
        default: break
        }
    }
}

extension PaginationDefinition.Rule {
    fileprivate var isLink: Bool {
        switch self {
        case .linkHeader, .link: true
        default: false
        }
    }
}

extension CursorDefinition {
    /// Returns a Boolean value that indicates whether requests contain both ends of an interval.
    fileprivate func isInterval(in resource: ResourceDefinition) -> Bool {
        let parts = resource.templates.flatMap(\.parts)
        return (parameter != nil || parts.contains(.cursorStart))
            && (endParameter != nil || parts.contains(.cursorEnd))
    }
}
