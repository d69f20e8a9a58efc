// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// The duration in seconds, rounded to what a reader needs, such as `30 s` or `0.25 s`.
    ///
    /// Durations from ten seconds on are rounded to tenths, from ten milliseconds on to
    /// milliseconds, and shorter ones to microseconds.
    package var roundedText: String {
        let (seconds, attoseconds) = components
        let unit = self >= .seconds(10) ? 10 : self >= .milliseconds(10) ? 1_000 : 1_000_000
        let attosecondsPerUnit = Int64(1_000_000_000_000_000_000 / unit)
        var whole = seconds
        var fraction = (attoseconds + attosecondsPerUnit / 2) / attosecondsPerUnit
        if fraction == Int64(unit) { (whole, fraction) = (whole + 1, 0) }
        var digits = String(fraction + Int64(unit)).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return digits.isEmpty ? "\(whole) s" : "\(whole).\(digits) s"
    }
}
