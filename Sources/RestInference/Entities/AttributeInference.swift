// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument

/// The type of an attribute that all observed values fit without a loss.
enum AttributeInference {
    /// Returns the type of the values with the reason.
    ///
    /// - Parameters:
    ///   - field: The facts about the values.
    ///   - name: The name of the member, which can say that a time is in UTC.
    /// - Returns: The type; `auto` if every value is null.
    static func type(
        of field: ValueStatistics, name: String
    ) -> (type: AttributeDefinition.ValueType, evidence: Evidence) {
        let count = field.count - field.nullCount
        let nulls = field.nullCount > 0 ? ", \(field.nullCount) null" : ""
        func result(
            _ type: AttributeDefinition.ValueType, _ what: String
        ) -> (AttributeDefinition.ValueType, Evidence) {
            let words = what.split(separator: " ", maxSplits: 1)
            let noun =
                what == "Boolean value"
                ? "Boolean values" : words[0] + "s" + (words.count > 1 ? " " + words[1] : "")
            let plural = count == 1 ? what : noun
            return (type, Evidence(count >= 3 ? .certain : .likely, "\(count) \(plural)\(nulls)"))
        }
        if count == 0 { return (.auto, Evidence(.guess, "\(field.nullCount) null")) }
        if field.booleanCount == count { return result(.boolean, "Boolean value") }
        if field.numbers.count == count { return numberType(field.numbers, result) }
        if field.texts.count == count { return textType(field.texts, name, result) }
        if field.arrayCount == count { return result(.json, "list") }
        if field.objectCount == count { return result(.json, "object") }
        return result(.json, "value of another kind than others")
    }

    private static func numberType(
        _ numbers: NumberStatistics,
        _ result: (AttributeDefinition.ValueType, String) -> (
            AttributeDefinition.ValueType, Evidence
        )
    ) -> (AttributeDefinition.ValueType, Evidence) {
        if numbers.integerCount == numbers.count { return result(.integer, "integer") }
        if numbers.unsignedCount == numbers.count {
            return result(.unsignedInteger, "integer of up to 2⁶⁴")
        }
        if numbers.doubleCount == numbers.count { return result(.double, "number") }
        return result(.decimal, "number of more than 15 digits")
    }

    private static func textType(
        _ texts: TextStatistics, _ name: String,
        _ result: (AttributeDefinition.ValueType, String) -> (
            AttributeDefinition.ValueType, Evidence
        )
    ) -> (AttributeDefinition.ValueType, Evidence) {
        let isUTC = ["gmt", "utc"].contains(Words.words(of: name).last)
        if texts.dateCount + (isUTC ? texts.zonelessCount : 0) == texts.count {
            return result(.date, "date")
        }
        if texts.dayCount == texts.count { return result(.day, "day") }
        if texts.uuidCount == texts.count { return result(.uuid, "UUID") }
        if texts.urlCount == texts.count { return result(.url, "URL") }
        if texts.zonelessCount == texts.count {
            return result(.text, "text with a date, but no time zone")
        }
        return result(.text, "text")
    }
}
