"""Invented sentences that several tests share."""

SENTENCES = [
    "The heart is normal in size. The lungs are clear.",
    "Large right pleural effusion with adjacent atelectasis.",
    "No pneumothorax or focal consolidation.",
    "Stable 4 mm nodule in the left upper lobe.",
    "Endotracheal tube tip is 3 cm above the carina.",
    "Mild cardiomegaly with pulmonary vascular congestion, unchanged.",
]
